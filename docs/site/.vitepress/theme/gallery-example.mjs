import { useData, withBase } from "vitepress";
import { computed, defineComponent, h, onMounted, onUnmounted, ref, watch } from "vue";

/** One of a few values, as radio buttons. */
function choice(label, name, value, options, change) {
  return h("fieldset", { "aria-label": label }, [
    options.map(([option, text]) =>
      h("label", [
        h("input", {
          type: "radio",
          name,
          checked: option === value,
          onChange: () => change(option),
        }),
        text,
      ]),
    ),
  ]);
}

/** A live example in a frame of its own, in the theme of the site or in a chosen one. */
export const GalleryExample = defineComponent({
  props: {
    id: { type: String, required: true },
    title: { type: String, required: true },
    /** Smallest height, in CSS pixels. */
    height: { type: Number, default: 0 },
  },
  setup(props) {
    const { isDark } = useData();
    const chosen = ref("site");
    const width = ref("wide");
    const content = ref(120);
    const address = ref("");
    const frame = ref(null);
    const theme = computed(() =>
      chosen.value === "site" ? (isDark.value ? "dark" : "light") : chosen.value,
    );

    const listen = ({ origin, source, data }) => {
      if (origin === location.origin && source === frame.value?.contentWindow && data?.height)
        content.value = data.height;
    };
    onMounted(() => {
      addEventListener("message", listen);
      address.value = withBase(`/gallery/frame.html?example=${props.id}&theme=${theme.value}`);
    });
    onUnmounted(() => removeEventListener("message", listen));
    watch(theme, (now) => frame.value?.contentWindow?.postMessage(now, location.origin));

    return () =>
      h("div", { class: "gallery-example", "data-theme": theme.value }, [
        h("div", { class: "gallery-bar" }, [
          choice(
            "Theme",
            `theme-${props.id}`,
            chosen.value,
            [
              ["site", "Site"],
              ["light", "Light"],
              ["dark", "Dark"],
            ],
            (next) => (chosen.value = next),
          ),
          choice(
            "Width",
            `width-${props.id}`,
            width.value,
            [
              ["wide", "Wide"],
              ["phone", "Phone"],
            ],
            (next) => (width.value = next),
          ),
        ]),
        address.value &&
          h("iframe", {
            ref: frame,
            src: address.value,
            title: `Example: ${props.title}`,
            "data-width": width.value,
            style: { height: `${Math.max(content.value, props.height)}px` },
          }),
      ]);
  },
});
