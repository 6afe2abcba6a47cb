// The part of this package that the first page of the shell needs: a separate chunk, so that the rest loads with the first plugin.
export { Button, IconButton, LinkButton, Spinner } from "./kit/button.tsx";
export { classNames } from "./kit/class-names.ts";
export { createIcon, type IconShapes } from "./kit/create-icon.tsx";
export { Avatar, VisuallyHidden } from "./kit/avatar.tsx";
export { Badge, EmptyState, ErrorState, Notice, Skeleton, SkeletonRows } from "./kit/feedback.tsx";
export type { IconType, Tone } from "./kit/icon.ts";
export { Kbd } from "./kit/kbd.tsx";
export { phone, useMediaQuery } from "./kit/media.ts";
export { Menu, MenuHeading, MenuItem, MenuLink, MenuSeparator } from "./kit/menu.tsx";
export { Page, PageHeader } from "./kit/page.tsx";
export { RelativeTime } from "./kit/relative-time.tsx";
export { matchesChord } from "./kit/shortcut.ts";
export { toast, Toaster } from "./kit/toast.tsx";
export { Tooltip } from "./kit/tooltip.tsx";
export { onProblem } from "./client/client.ts";
export { Problem } from "./client/problem.ts";
export { coreApi } from "./client/use-api.ts";
