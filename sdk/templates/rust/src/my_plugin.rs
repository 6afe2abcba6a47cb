use tenon::json::Value;
use tenon::{params, Access, Error, Plugin, Request, Response, Result, Setup};

/// The plugin. The host creates a new one for each activation.
struct MyPlugin;

tenon::plugin!(MyPlugin);

impl Plugin for MyPlugin {
    fn create(setup: &Setup<Self>) -> Result<Self> {
        setup.get(
            "/summary",
            Access::Permission("my-plugin.use"),
            Self::summary,
        )?;
        setup.post(
            "/tasks/{id}/toggle",
            Access::Permission("my-plugin.use"),
            Self::toggle,
        )?;
        Ok(Self)
    }
}

impl MyPlugin {
    /// Counts the open and finished tasks of the user.
    fn summary(&self, request: &Request) -> Result<Response> {
        let summary = request.db().json_row(
            "SELECT COUNT(*) - COUNT(NULLIF(done, FALSE)) AS open, COUNT(NULLIF(done, FALSE)) AS done
             FROM tasks WHERE created_by = ?",
            params![request.user_id()],
        )?;
        Ok(Response::json(summary.unwrap_or_default()))
    }

    /// Marks a task as done, or as open again.
    fn toggle(&self, request: &Request) -> Result<Response> {
        let id = request.param("id");
        let sql = "UPDATE tasks SET done = NOT done WHERE id = ? AND created_by = ? RETURNING done";
        let done = request.host().write(|tx| {
            tx.query_one(sql, params![id, request.user_id()], |row| {
                row.get::<bool>("done")
            })
        })?;
        let unknown = || Error::new(404, "my-plugin.no_task", "There is no such task.");
        let done = done.ok_or_else(unknown)?;
        request.log().info("task toggled", &[("task", id)]);
        Ok(Response::json(Value::object([("done", done.into())])))
    }
}
