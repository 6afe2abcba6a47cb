import { toast } from "@tenon/ui";
import { useEffect } from "react";

export interface MoreRowsProps {
  list: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage(): Promise<{ isError: boolean }>;
  };
}

/** Marks the last row: when that comes near, the next page is fetched. */
export function MoreRows({ list }: MoreRowsProps) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const wanted = hasNextPage && !isFetchingNextPage;
  useEffect(() => {
    if (!wanted) return;
    void fetchNextPage().then(({ isError }) => {
      if (!isError) return;
      toast("Could not load more notes", {
        tone: "danger",
        action: { label: "Retry", run: () => void fetchNextPage() },
      });
    });
    // Once for each page.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [wanted]);
  return null;
}
