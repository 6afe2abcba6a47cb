//! The database of the plugin.

use crate::error::{Error, Result};
use crate::events::{self, Event};
use crate::ffi::{self, Sink};
use crate::host::{call, function, Host};
use crate::sys;
use std::marker::PhantomData;
use std::ops::Deref;

/// A parameter of a statement. [`params!`](crate::params) makes it of integers, floats, booleans
/// (0 and 1), texts, bytes and options of these.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Cell<'a> {
    Null,
    Integer(i64),
    Number(f64),
    Text(&'a str),
    Blob(&'a [u8]),
}

macro_rules! cells {
    ($($type:ty => |$value:ident| $cell:expr),* $(,)?) => {
        $(impl<'a> From<$type> for Cell<'a> {
            fn from($value: $type) -> Self { $cell }
        })*
    };
}
cells!(
    i64 => |value| Cell::Integer(value),
    i32 => |value| Cell::Integer(value.into()),
    u32 => |value| Cell::Integer(value.into()),
    bool => |value| Cell::Integer(value.into()),
    f64 => |value| Cell::Number(value),
    &'a str => |value| Cell::Text(value),
    &'a String => |value| Cell::Text(value),
    &'a [u8] => |value| Cell::Blob(value),
    &'a Vec<u8> => |value| Cell::Blob(value),
);

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Null, Into::into)
    }
}

impl Cell<'_> {
    fn raw(&self) -> sys::tenon_cell {
        let mut raw: sys::tenon_cell = ffi::zeroed();
        match *self {
            Cell::Null => raw.type_ = sys::TENON_CELL_NULL,
            Cell::Integer(value) => {
                raw.type_ = sys::TENON_CELL_INTEGER;
                raw.as_.integer = value;
            }
            Cell::Number(value) => {
                raw.type_ = sys::TENON_CELL_NUMBER;
                raw.as_.number = value;
            }
            Cell::Text(value) => {
                raw.type_ = sys::TENON_CELL_TEXT;
                raw.as_.bytes = value.as_ptr().cast();
                raw.size = value.len() as u64;
            }
            Cell::Blob(value) => {
                raw.type_ = sys::TENON_CELL_BLOB;
                raw.as_.bytes = value.as_ptr().cast();
                raw.size = value.len() as u64;
            }
        }
        raw
    }

    unsafe fn read<'a>(raw: &sys::tenon_cell) -> Cell<'a> {
        let bytes = || {
            ffi::bytes(sys::tenon_span {
                data: raw.as_.bytes,
                size: raw.size,
            })
        };
        match raw.type_ {
            sys::TENON_CELL_INTEGER => Cell::Integer(raw.as_.integer),
            sys::TENON_CELL_NUMBER => Cell::Number(raw.as_.number),
            sys::TENON_CELL_TEXT => match std::str::from_utf8(bytes()) {
                Ok(text) => Cell::Text(text),
                Err(_) => Cell::Blob(bytes()),
            },
            sys::TENON_CELL_BLOB => Cell::Blob(bytes()),
            _ => Cell::Null,
        }
    }
}

/// A type that a column can be read as.
pub trait Column: Sized {
    /// Returns None if the cell has another type.
    fn from_cell(cell: Cell<'_>) -> Option<Self>;
}

macro_rules! columns {
    ($($type:ty => { $($pattern:pat => $value:expr),* }),* $(,)?) => {
        $(impl Column for $type {
            fn from_cell(cell: Cell<'_>) -> Option<Self> {
                match cell { $($pattern => Some($value),)* _ => None }
            }
        })*
    };
}
columns!(
    i64 => { Cell::Integer(value) => value },
    bool => { Cell::Integer(value) => value != 0 },
    f64 => { Cell::Number(value) => value, Cell::Integer(value) => value as f64 },
    String => { Cell::Text(value) => value.into() },
    Vec<u8> => { Cell::Blob(value) => value.into(), Cell::Text(value) => value.as_bytes().into() },
);

impl<T: Column> Column for Option<T> {
    fn from_cell(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Null => Some(None),
            _ => T::from_cell(cell).map(Some),
        }
    }
}

/// A row of a query, borrowed until the function that reads it returns.
pub struct Row<'a> {
    names: &'a [sys::tenon_span],
    cells: &'a [sys::tenon_cell],
}

impl Row<'_> {
    /// Reads a column by its name: `let title: String = row.get("title")?`. An error if there is no
    /// such column, or if its value has another type; NULL needs an `Option`.
    pub fn get<T: Column>(&self, name: &str) -> Result<T> {
        let at = self
            .names
            .iter()
            .position(|known| unsafe { ffi::text(*known) } == name);
        let cell = at.map(|at| unsafe { Cell::read(&self.cells[at]) });
        let value = cell.and_then(T::from_cell);
        value.ok_or_else(|| {
            let problem = match cell {
                None => "does not exist".to_string(),
                Some(cell) => format!("is {:?}, not {}", cell, std::any::type_name::<T>()),
            };
            let mut error = Error::new(
                500,
                "plugin.column",
                format!("Column \"{}\" {}.", name, problem),
            );
            // Not for clients: the message may contain data.
            error.cause = sys::TENON_E_SQL;
            error
        })
    }
}

/// The effect of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exec {
    /// Rows inserted, updated or deleted.
    pub changes: i64,
    /// Rowid of the last insert into a table with a rowid.
    pub last_row_id: i64,
}

/// The engine of the database, for statements that differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Engine {
    Sqlite,
    Postgresql,
}

/// The plugin's own database. Each statement is its own transaction, or part of the
/// [`Transaction`] that it is called on. All functions block. They are usable from `start` on.
pub struct Db<'a> {
    host: &'a Host,
    transaction: sys::tenon_handle,
    // One thread at a time uses a transaction.
    one_thread: PhantomData<*const ()>,
}

impl<'a> Db<'a> {
    pub(crate) fn new(host: &'a Host, transaction: sys::tenon_handle) -> Self {
        Self {
            host,
            transaction,
            one_thread: PhantomData,
        }
    }

    /// Runs one statement that returns no rows: `db.exec("DELETE FROM tasks WHERE id = ?",
    /// params![id])?`.
    pub fn exec(&self, sql: &str, params: &[Cell<'_>]) -> Result<Exec> {
        let cells: Vec<sys::tenon_cell> = params.iter().map(Cell::raw).collect();
        let mut result: sys::tenon_db_result = ffi::zeroed();
        result.size = ffi::size_of::<sys::tenon_db_result>();
        call!(
            self.host,
            tenon_db,
            exec,
            self.transaction,
            ffi::span(sql),
            cells.as_ptr(),
            cells.len() as u32,
            &mut result
        )?;
        Ok(Exec {
            changes: result.changes,
            last_row_id: result.last_row_id,
        })
    }

    /// Runs one query and returns what `read` makes of each row: `db.query("SELECT title FROM tasks",
    /// params![], |row| row.get::<String>("title"))?`.
    pub fn query<T>(
        &self,
        sql: &str,
        params: &[Cell<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut made = Vec::new();
        self.each(sql, params, |row| {
            made.push(read(row)?);
            Ok(true)
        })?;
        Ok(made)
    }

    /// As `query`, for the first row; None if there is none.
    pub fn query_one<T>(
        &self,
        sql: &str,
        params: &[Cell<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut made = None;
        self.each(sql, params, |row| {
            made = Some(read(row)?);
            Ok(false)
        })?;
        Ok(made)
    }

    /// Runs one query and calls `visit` for each row, until it returns false. Only one batch of
    /// rows is in memory.
    pub fn each(
        &self,
        sql: &str,
        params: &[Cell<'_>],
        mut visit: impl FnMut(&Row<'_>) -> Result<bool>,
    ) -> Result<()> {
        let cells: Vec<sys::tenon_cell> = params.iter().map(Cell::raw).collect();
        let mut batch: sys::tenon_db_batch = ffi::zeroed();
        batch.size = ffi::size_of::<sys::tenon_db_batch>();
        let mut handle = 0;
        call!(
            self.host,
            tenon_db,
            query,
            self.transaction,
            ffi::span(sql),
            cells.as_ptr(),
            cells.len() as u32,
            &mut handle,
            &mut batch
        )?;
        let cursor = Cursor {
            host: self.host,
            handle,
        };
        loop {
            let columns = batch.columns as usize;
            let names = unsafe { ffi::slice(batch.names, batch.columns) };
            for at in 0..batch.rows as usize {
                let cells = unsafe { ffi::slice(batch.cells.add(at * columns), batch.columns) };
                if !visit(&Row { names, cells })? {
                    return Ok(());
                }
            }
            if batch.more == 0 {
                return Ok(());
            }
            let code = call!(self.host, tenon_db, next, cursor.handle, &mut batch)?;
            if code == sys::TENON_DONE as i32 {
                return Ok(());
            }
        }
    }

    /// Runs one query and returns its rows as a JSON array of objects, at most 16 MiB. A column
    /// named "x:boolean" becomes the member x with true or false, "x:json" the JSON of its text.
    pub fn json_rows(&self, sql: &str, params: &[Cell<'_>]) -> Result<String> {
        let text = self.json(sys::TENON_DB_JSON_ROWS, sql, params)?;
        Ok(text.unwrap_or_else(|| "[]".into()))
    }

    /// As `json_rows`, for the first row as an object; None if there is none.
    pub fn json_row(&self, sql: &str, params: &[Cell<'_>]) -> Result<Option<String>> {
        self.json(sys::TENON_DB_JSON_ROW, sql, params)
    }

    fn json(&self, shape: u32, sql: &str, params: &[Cell<'_>]) -> Result<Option<String>> {
        let cells: Vec<sys::tenon_cell> = params.iter().map(Cell::raw).collect();
        let mut sink = Sink(None);
        let raw = sink.raw();
        call!(
            self.host,
            tenon_db,
            query_json,
            self.transaction,
            shape,
            ffi::span(sql),
            cells.as_ptr(),
            cells.len() as u32,
            &raw
        )?;
        Ok(sink.0)
    }

    /// Returns the engine of the database.
    pub fn engine(&self) -> Result<Engine> {
        let get = function!(self.host, tenon_db, engine)?;
        let mut engine = 0;
        match unsafe { get(self.host.raw(), &mut engine) } {
            code if code < 0 => Err(Error::from_code(code, "Reading the engine of the database")),
            _ if engine == sys::TENON_DB_POSTGRESQL => Ok(Engine::Postgresql),
            _ => Ok(Engine::Sqlite),
        }
    }
}

struct Cursor<'a> {
    host: &'a Host,
    handle: sys::tenon_handle,
}

impl Drop for Cursor<'_> {
    fn drop(&mut self) {
        if let Ok(close) = function!(self.host, tenon_db, close) {
            unsafe { close(self.host.raw(), self.handle) };
        }
    }
}

/// An open transaction. It is also a [`Db`], whose statements are part of it.
pub struct Transaction<'a> {
    db: Db<'a>,
}

impl<'a> Deref for Transaction<'a> {
    type Target = Db<'a>;

    fn deref(&self) -> &Db<'a> {
        &self.db
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.db.transaction == 0 {
            return;
        }
        if let Ok(rollback) = function!(self.db.host, tenon_db, rollback) {
            unsafe { rollback(self.db.host.raw(), self.db.transaction) };
        }
    }
}

impl<'a> Transaction<'a> {
    fn begin(host: &'a Host, mode: u32) -> Result<Self> {
        let mut handle = 0;
        call!(host, tenon_db, begin, mode, 0, &mut handle)?;
        Ok(Self {
            db: Db::new(host, handle),
        })
    }

    /// Sends an event after the commit, and never if the transaction is rolled back.
    pub fn publish(&self, event: &Event<'_>) -> Result<()> {
        events::publish(self.db.host, self.db.transaction, event)
    }

    fn commit(mut self) -> Result<()> {
        // The handle is invalid afterwards, also on an error.
        let handle = std::mem::take(&mut self.db.transaction);
        call!(self.db.host, tenon_db, commit, handle).map(drop)
    }
}

impl Host {
    /// Runs `work` in a write transaction, which holds the write lock: one at a time. Ok commits
    /// it; it is on disk when the function returns. An error or a panic rolls it back. The host
    /// rolls it back after 5 s.
    pub fn write<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let transaction = Transaction::begin(self, sys::TENON_DB_WRITE)?;
        let made = work(&transaction)?;
        transaction.commit()?;
        Ok(made)
    }

    /// Runs `work` in a read transaction: one consistent snapshot.
    pub fn read<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        work(&Transaction::begin(self, sys::TENON_DB_READ)?)
    }
}
