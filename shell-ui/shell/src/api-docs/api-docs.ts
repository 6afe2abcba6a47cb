import { storedTheme } from "../theme-choice.ts";

// Of swagger-ui-dist, which the page loads in front of this.
type Part = (props: object) => unknown;
interface System {
  React: { createElement(type: unknown, props: object | null, ...children: unknown[]): unknown };
}
declare const SwaggerUIBundle: {
  (options: Record<string, unknown>): unknown;
  presets: { apis: unknown };
};

const darkSystem = matchMedia("(prefers-color-scheme: dark)");

function applyTheme(): void {
  const theme = storedTheme();
  const isDark = theme === "dark" || (theme === "system" && darkSystem.matches);
  document.documentElement.classList.toggle("dark-mode", isDark);
}

applyTheme();
darkSystem.addEventListener("change", applyTheme);
addEventListener("storage", applyTheme);

const nothing = () => () => null;

/** A part of the page as a landmark. With a heading too where the routes begin: theirs are of the third level. */
const landmark =
  (label: string, heading = false) =>
  (Original: Part, { React }: System): Part =>
  (props) =>
    React.createElement(
      "section",
      { "aria-label": label },
      heading && React.createElement("h2", { className: "api-docs-heading" }, label),
      React.createElement(Original, props),
    );

SwaggerUIBundle({
  url: "/api/core/openapi.json",
  domNode: document.getElementById("api"),
  presets: [SwaggerUIBundle.presets.apis],
  // The session's cookie is there, and the server is this one: there is nothing to choose. No licence is stated.
  plugins: [
    () => ({
      wrapComponents: {
        authorizeBtn: nothing,
        authorizeOperationBtn: nothing,
        ServersContainer: nothing,
        License: nothing,
        InfoContainer: landmark("About"),
        FilterContainer: landmark("Routes", true),
      },
    }),
  ],
  layout: "BaseLayout",
  validatorUrl: null,
  deepLinking: true,
  filter: true,
  // Hundreds of routes: what is not looked at is not drawn.
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
});
