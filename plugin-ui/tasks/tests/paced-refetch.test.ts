import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { pacedReading } from "../src/model/paced-refetch.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("batched refetch", () => {
  let resolveRead: () => void = () => undefined;
  const read = vi.fn(() => new Promise<void>((resolve) => (resolveRead = resolve)));
  const finishRead = async () => {
    resolveRead();
    await Promise.resolve();
    await Promise.resolve();
  };

  it("runs once per burst and once after it", async () => {
    const { changed } = pacedReading(read, 1_000);
    changed();
    changed();
    expect(read).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_000);
    expect(read).toHaveBeenCalledTimes(1);
    changed();
    changed();
    vi.advanceTimersByTime(10_000);
    expect(read).toHaveBeenCalledTimes(1);
    await finishRead();
    vi.advanceTimersByTime(1_000);
    expect(read).toHaveBeenCalledTimes(2);
    await finishRead();
    vi.advanceTimersByTime(10_000);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it("stops without an observer", () => {
    read.mockClear();
    const { changed, stop } = pacedReading(read, 1_000);
    changed();
    stop();
    vi.advanceTimersByTime(10_000);
    expect(read).not.toHaveBeenCalled();
  });
});
