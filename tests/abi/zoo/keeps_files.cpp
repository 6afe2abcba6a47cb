// No fault: files as a plugin should keep them, for the tests of blobs and uploads.
#include <string>

#include <tenon/plugin.hpp>

namespace {

using tenon::Request;
using tenon::Response;

class KeepsFiles : public tenon::Plugin {
 public:
  explicit KeepsFiles(tenon::Host& host) : Plugin(host) {
    host.blobs().accept_uploads(tenon::access::signed_in, {.max_bytes = 64 << 20});
    auto& http = host.http();
    http.post("/files", tenon::access::signed_in,
              {.body = tenon::Body::streamed, .body_limit = 64 << 20},
              [this](const Request& request) {
                return request.read_body(Writing{this, files().create()});
              });
    // An uploaded file becomes a file of its user.
    http.post("/attach/{id}", tenon::access::signed_in, {.body = tenon::Body::none},
              [this](const Request& request) {
                const std::string id(request.param("id"));
                if (!files().has_uploaded(id, request.user_id()))
                  throw tenon::Error(403, "keeps-files.not_yours", "Upload the file first.");
                files().claim(id, key_of(request));
              });
    http.get("/files/{id}", tenon::access::signed_in, [](const Request& request) {
      const std::string id(request.param("id"));
      const std::string name = request.query("name", "");
      return request.query("save", false) ? Response::attachment(id, name)
                                          : Response::blob(id, name);
    });
    http.get("/facts/{id}", tenon::access::signed_in, [this](const Request& request) {
      const auto blob = files().find(request.param("id"));
      if (!blob) throw tenon::Error(404, "keeps-files.none", "There is no such file.");
      return Response::json({{"bytes", blob->bytes},
                             {"type", blob->type},
                             {"claims", blob->claims},
                             {"text", files().open(blob->id).read_all(100).substr(0, 20)}});
    });
    http.del("/files/{id}", tenon::access::signed_in, [this](const Request& request) {
      files().release(request.param("id"), key_of(request));
    });
    http.del("/all", tenon::access::signed_in,
             [this](const Request& request) { files().release_all(key_of(request)); });
  }

 private:
  struct Writing {
    KeepsFiles* plugin;
    tenon::BlobWriter writer;

    void data(std::string_view piece) { writer.write(piece); }
    Response end() {
      const tenon::Blob blob = writer.finish();
      return Response::json({{"id", blob.id}, {"type", blob.type}}, 201);
    }
  };

  tenon::Blobs& files() { return host().blobs(); }
  static std::string key_of(const Request& request) {
    return "users/" + std::string(request.user_id());
  }
};

}  // namespace

TENON_PLUGIN(KeepsFiles)
