import "./styles/kit.css";
export {
  Button,
  IconButton,
  LinkButton,
  Spinner,
  type ButtonProps,
  type IconButtonProps,
  type LinkButtonProps,
} from "./kit/button.tsx";
export { classNames } from "./kit/class-names.ts";
export { ConfirmDialog, Dialog, type ConfirmDialogProps, type DialogProps } from "./kit/dialog.tsx";
export {
  Badge,
  EmptyState,
  errorDetails,
  errorMessage,
  ErrorState,
  Notice,
  Skeleton,
  SkeletonRows,
  type EmptyStateProps,
  type ErrorStateProps,
  type NoticeProps,
  type SkeletonProps,
} from "./kit/feedback.tsx";
export {
  Checkbox,
  Field,
  FormRow,
  Input,
  SearchInput,
  SegmentedControl,
  Select,
  Switch,
  TextArea,
  type CheckboxProps,
  type FieldProps,
  type FormRowProps,
  type SearchInputProps,
  type SegmentedControlProps,
  type SwitchProps,
} from "./kit/form.tsx";
export type { IconType, Tone } from "./kit/icon.ts";
export { Kbd } from "./kit/kbd.tsx";
export { phone, useMediaQuery } from "./kit/media.ts";
export {
  Menu,
  MenuHeading,
  MenuItem,
  MenuLink,
  MenuSeparator,
  type MenuItemProps,
  type MenuLinkProps,
  type MenuProps,
} from "./kit/menu.tsx";
export { Page, PageHeader, type PageHeaderProps, type PageProps } from "./kit/page.tsx";
export { Progress, SaveStatus, type SaveState } from "./kit/progress.tsx";
export {
  Card,
  Section,
  SplitView,
  TableCard,
  type SectionProps,
  type SplitViewProps,
  type TableCardProps,
} from "./kit/layout.tsx";
export { Avatar, VisuallyHidden } from "./kit/avatar.tsx";
export { createIcon, type IconShapes } from "./kit/create-icon.tsx";
export { place, type Placement } from "./kit/place.ts";
export { plainSegments, type Segment } from "./kit/plain-segments.ts";
export { formatExact, formatRelative, RelativeTime } from "./kit/relative-time.tsx";
export { matchesChord, shortcutKeys } from "./kit/shortcut.ts";
export { StatTile, StatTiles, type StatTileProps } from "./kit/stat-tile.tsx";
export { Tabs, type TabItem, type TabsProps } from "./kit/tabs.tsx";
export { toast, Toaster, type ToastOptions } from "./kit/toast.tsx";
export { Tooltip, type TooltipProps } from "./kit/tooltip.tsx";
export { VirtualList, type VirtualListProps } from "./kit/virtual-list.tsx";
export {
  createClient,
  onProblem,
  type ApiResponse,
  type Client,
  type ListPage,
  type Query,
  type RequestOptions,
  type UploadOptions,
} from "./client/client.ts";
export { Problem, problemFrom, type FieldError } from "./client/problem.ts";
export { refetchFresh } from "./client/refetch-fresh.ts";
export { clientFor, coreApi, useApi } from "./client/use-api.ts";
