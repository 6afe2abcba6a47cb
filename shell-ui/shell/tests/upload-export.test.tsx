import { addBrowserParts } from "@tenon/testing";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { QueryScope } from "../src/data/query-scope.tsx";
import { maxExportBytes } from "../src/admin/plugins/packages-api.ts";
import { UploadExportDialog, useExportUpload } from "../src/admin/plugins/upload-export.tsx";

beforeAll(addBrowserParts);
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

function Upload() {
  const upload = useExportUpload(() => undefined);
  return (
    <>
      <button onClick={upload.show}>Show</button>
      <UploadExportDialog upload={upload} isDragOver={false} />
    </>
  );
}

const fileOf = (size: number) => {
  const file = new File([], "notes-1.2.0.tar");
  Object.defineProperty(file, "size", { value: size });
  return file;
};

async function choose(size: number) {
  render(
    <QueryScope>
      <Upload />
    </QueryScope>,
  );
  fireEvent.click(screen.getByRole("button", { name: "Show" }));
  await screen.findByText(/Drop a \.tar export here/);
  fireEvent.change(screen.getByLabelText("Export"), { target: { files: [fileOf(size)] } });
}

describe("export upload", () => {
  it("rejects a file that is too large", async () => {
    await choose(maxExportBytes + 1);
    await screen.findByText(/^notes-1\.2\.0\.tar is larger than 16 GB/);
    expect(screen.queryByRole("progressbar")).toBeNull();
    expect(screen.getByRole("button", { name: "Choose a file", hidden: true })).toBeTruthy();
  });

  it("shows progress and can be cancelled", async () => {
    // A server that takes its time.
    const sent = vi.spyOn(XMLHttpRequest.prototype, "send").mockReturnValue();
    const given = vi.spyOn(XMLHttpRequest.prototype, "abort");
    await choose(maxExportBytes);
    await screen.findByRole("progressbar", { name: "Uploading notes-1.2.0.tar", hidden: true });
    fireEvent.click(screen.getByRole("button", { name: "Cancel", hidden: true }));
    await waitFor(() => expect(document.querySelector("dialog[open]")).toBeNull());
    expect([sent.mock.calls.length, given.mock.calls.length]).toEqual([1, 1]);
    fireEvent.click(screen.getByRole("button", { name: "Show" }));
    await screen.findByText(/Drop a \.tar export here/);
    expect(screen.queryByRole("progressbar")).toBeNull();
    expect(screen.queryByRole("alert")).toBeNull();
  });
});
