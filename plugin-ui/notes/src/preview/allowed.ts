/** Elements of text. No scripts, styles, frames, forms, media or graphics with a language of their own. */
export const elements = (
  "a abbr b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn div dl dt em figcaption " +
  "figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p pre q rp rt ruby s samp section small span strong sub " +
  "summary sup table tbody td tfoot th thead time tr tt u ul var wbr"
).split(" ");

export const attributes = (
  "align alt checked colspan datetime dir height href lang open reversed rowspan src start title type valign width " +
  "data-blocked data-heading data-is-task data-language data-line data-slug data-task data-wiki"
).split(" ");
