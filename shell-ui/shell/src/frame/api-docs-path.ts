/** The description of the API: a page of its own, outside the shell. */
export const apiDocsPath = "/api/docs";
