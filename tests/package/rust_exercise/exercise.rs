use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tenon::json::Value;
use tenon::{
    new_id, params, Access, Body, Error, Event, Host, JobOptions, JobRun, Plugin, Request,
    Response, Result, Route, Schedule, Setup, Stop, To, Transaction,
};

const USE: Access = Access::Permission("exercise.use");

#[derive(Default)]
struct Exercise {
    rounds: AtomicU32,
    changes: AtomicU32,
}

tenon::plugin!(Exercise);

impl Plugin for Exercise {
    fn create(setup: &Setup<Self>) -> Result<Self> {
        setup.get("/echo/{name}/{rest...}", Access::Everyone, Self::echo)?;
        setup.route(
            Route::post("/bytes", USE)
                .body(Body::Whole)
                .body_limit(8)
                .summary("Counts bytes"),
            |_, request| {
                Ok(Response::text(request.body().len().to_string()).header("X-Length", "short"))
            },
        )?;
        setup.get("/items", USE, Self::list)?;
        setup.post("/items", USE, Self::add)?;
        setup.delete("/items/{title}", USE, Self::remove)?;
        setup.post("/items/refused", USE, |_, request| {
            Self::fail(request, Some("no"))
        })?;
        setup.post("/items/panics", USE, |_, request| Self::fail(request, None))?;
        setup.get("/rows", USE, Self::rows)?;
        setup.get("/state", USE, Self::state)?;
        setup.get("/locals", USE, |_, _| Ok(Response::json(locals())))?;
        setup.get("/panics", USE, |_, request| {
            panic!("no such {}", request.query("what").unwrap_or_default())
        })?;
        setup.get("/panics/again", USE, |_, _| {
            std::panic::panic_any(PanicsInDrop)
        })?;
        setup.get("/wrong", USE, |_, _| Ok(Response::text("").status(99)))?;
        setup.get("/wrong/sql", USE, |_, request| {
            request
                .db()
                .json_rows("SELECT * FROM nothing", params![])
                .map(Response::json)
        })?;
        setup.post("/jobs", USE, Self::enqueue)?;
        setup.job("work", Self::work)?;
        setup.schedule(&Schedule {
            name: "yearly",
            cron: "0 0 1 1 *",
            kind: "work",
            ..Schedule::default()
        })?;
        setup.topic("news", Some("exercise.use"))?;
        setup.on_setting(|plugin, _, _| {
            plugin.changes.fetch_add(1, Ordering::Relaxed);
        })?;
        setup.thread("rounds", Self::rounds);
        Ok(Self::default())
    }

    fn start(&self, host: &Host) -> Result<()> {
        host.log().info("started", &[("host", host.version())]);
        let sql = "INSERT INTO items (id, title, weight) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
        host.db()
            .exec(sql, params![&new_id(), "first", 1.5])
            .map(drop)
    }

    fn health(&self, host: &Host) -> Result<()> {
        host.db()
            .json_row("SELECT COUNT(*) AS n FROM items", params![])
            .map(drop)
    }
}

struct PanicsInDrop;

impl Drop for PanicsInDrop {
    fn drop(&mut self) {
        panic!("in drop");
    }
}

thread_local! {
    static NAMES: RefCell<Vec<String>> = RefCell::new(Vec::new());
}

/// Uses values with a destructor on a thread of the host and on an own one.
fn locals() -> Value {
    let add = || {
        NAMES.with(|names| {
            names
                .borrow_mut()
                .push(format!("{:?}", std::thread::current().id()));
            names.borrow().len() as i64
        })
    };
    let here = add();
    let there = std::thread::spawn(add).join().unwrap_or(0);
    Value::object([("here", here.into()), ("there", there.into())])
}

impl Exercise {
    fn rounds(&self, _host: &Host, stop: &Stop) {
        loop {
            self.rounds.fetch_add(1, Ordering::Relaxed);
            if stop.wait(Duration::from_secs(3600)) {
                return;
            }
        }
    }

    fn echo(&self, request: &Request) -> Result<Response> {
        let user = request.user()?;
        Ok(Response::json(Value::object([
            (
                "greeting",
                request.host().setting("greeting")?.unwrap_or(Value::Null),
            ),
            ("name", request.param("name").into()),
            ("rest", request.param("rest").into()),
            ("query", request.query("q").into()),
            ("header", request.header("x-test").into()),
            ("path", request.path().into()),
            (
                "login",
                user.as_ref().map(|user| user.login.as_str()).into(),
            ),
            ("admin", user.map(|user| user.is_admin).into()),
            ("may", request.can("exercise.use")?.into()),
            ("unknown", request.can("exercise.other").is_err().into()),
            ("plugin", request.host().plugin_id().into()),
        ])))
    }

    fn list(&self, request: &Request) -> Result<Response> {
        let items = request.db().query(
            "SELECT title, weight, done FROM items ORDER BY title",
            params![],
            |row| {
                Ok(Value::object([
                    ("title", row.get::<String>("title")?.into()),
                    ("weight", row.get::<Option<f64>>("weight")?.into()),
                    ("done", row.get::<bool>("done")?.into()),
                ]))
            },
        )?;
        Ok(Response::json(Value::from(items)))
    }

    fn insert(tx: &Transaction, body: &Value) -> Result<()> {
        let title = body["title"].as_str().ok_or_else(|| {
            Error::new(422, "exercise.no_title", "The title is missing.").field(
                "title",
                "required",
                "Enter a title.",
            )
        })?;
        tx.exec(
            "INSERT INTO items (id, title, weight) VALUES (?, ?, ?)",
            params![&new_id(), title, body["weight"].as_f64()],
        )?;
        tx.publish(&Event {
            topic: "news",
            data: &body.to_string(),
            to: To::All,
        })
    }

    fn add(&self, request: &Request) -> Result<Response> {
        let body = request.json()?;
        request.host().write(|tx| Self::insert(tx, &body))?;
        Ok(Response::json(body).status(201))
    }

    /// Inserts and then fails: nothing is stored.
    fn fail(request: &Request, message: Option<&str>) -> Result<Response> {
        let body = request.json()?;
        request.host().write(|tx| {
            Self::insert(tx, &body)?;
            Err(Error::new(
                409,
                "exercise.refused",
                message.expect("a message"),
            ))
        })
    }

    fn remove(&self, request: &Request) -> Result<Response> {
        let changed = request.db().exec(
            "DELETE FROM items WHERE title = ?",
            params![request.param("title")],
        )?;
        if changed.changes == 0 {
            return Err(Error::new(
                404,
                "exercise.unknown",
                "There is no such item.",
            ));
        }
        Ok(Response::empty())
    }

    /// More rows than one batch has.
    fn rows(&self, request: &Request) -> Result<Response> {
        let sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 3000) SELECT x FROM n";
        let mut sum = 0;
        request.host().read(|tx| {
            tx.each(sql, params![], |row| {
                sum += row.get::<i64>("x")?;
                Ok(true)
            })
        })?;
        let db = request.db();
        let first = db.query_one(sql, params![], |row| row.get::<i64>("x"))?;
        let text = db.query_one(sql, params![], |row| row.get::<String>("x"));
        let none = db.query_one(
            "SELECT title FROM items WHERE title = ?",
            params!["?"],
            |row| row.get::<String>("title"),
        )?;
        Ok(Response::json(Value::object([
            ("sum", sum.into()),
            ("first", first.into()),
            ("text", text.is_err().into()),
            ("none", none.into()),
            ("engine", format!("{:?}", db.engine()?).into()),
        ])))
    }

    fn state(&self, _request: &Request) -> Result<Response> {
        Ok(Response::json(Value::object([
            (
                "rounds",
                i64::from(self.rounds.load(Ordering::Relaxed)).into(),
            ),
            (
                "changes",
                i64::from(self.changes.load(Ordering::Relaxed)).into(),
            ),
        ])))
    }

    fn enqueue(&self, request: &Request) -> Result<Response> {
        let options = JobOptions {
            max_attempts: 2,
            backoff: Duration::from_millis(1),
            ..JobOptions::default()
        };
        let receipt = request
            .host()
            .enqueue("work", &request.json()?.to_string(), &options)?;
        Ok(Response::json(Value::object([
            ("job", receipt.id.into()),
            ("new", receipt.is_new.into()),
        ]))
        .status(202))
    }

    fn work(&self, run: &JobRun) -> Result<()> {
        run.check()?;
        run.progress(1, 2, "half")?;
        match run.payload()?["do"].as_str() {
            Some("fail") => {
                Err(Error::new(500, "exercise.failed", "This cannot work.").without_retry())
            }
            Some("panic") => panic!("in job {}", run.attempt()),
            _ => Ok(()),
        }
    }
}
