import { Uploads, UploadList } from "@tenon/ui/uploads";
import { useEffect, useState } from "react";

export default function Example() {
  const [uploads, setUploads] = useState<Uploads<string> | null>(null);
  useEffect(() => {
    const made = new Uploads<string>({
      endpoint: "/api/library/blobs",
      scope: "library u1",
      finish: () => Promise.resolve(),
      pauses: [0],
    });
    setUploads(made);
    return () => made.dispose();
  }, []);
  return (
    <div className="t-form g-narrow">
      <input
        type="file"
        aria-label="Cover"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) void uploads?.add(crypto.randomUUID(), file, file.name, "cover");
        }}
      />
      {uploads && <UploadList uploads={uploads} />}
    </div>
  );
}
