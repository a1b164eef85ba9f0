-- What the viewer finds again in a run: a row for each judged case, and the words of all of them.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE cases (
  nr INTEGER PRIMARY KEY,       -- in the order judged; also the row of its words
  id TEXT NOT NULL UNIQUE,
  place INTEGER NOT NULL,       -- in the order asked, which is how people read a run
  at INTEGER NOT NULL,          -- byte of the log at which its event begins
  scenario TEXT NOT NULL,
  outcome TEXT NOT NULL,
  brief TEXT NOT NULL,
  headline TEXT NOT NULL,
  turns INTEGER NOT NULL,
  seconds REAL NOT NULL,
  app TEXT NOT NULL,
  params TEXT NOT NULL          -- JSON, values as shown
);
CREATE INDEX cases_by_place ON cases (place);
CREATE INDEX cases_by_outcome ON cases (outcome, place);
CREATE VIRTUAL TABLE words USING fts5 (talk, checks, inputs, content='', tokenize='unicode61 remove_diacritics 2', prefix='2 3');
CREATE TABLE playing (id TEXT PRIMARY KEY, scenario TEXT NOT NULL, turns INTEGER NOT NULL);
CREATE TABLE shows (case_id TEXT NOT NULL, oracle TEXT NOT NULL, finding TEXT NOT NULL);
CREATE INDEX shows_by_finding ON shows (finding);
CREATE INDEX shows_by_case ON shows (case_id);
CREATE TABLE findings (number INTEGER PRIMARY KEY, finding TEXT NOT NULL, shown TEXT NOT NULL);
CREATE TABLE calls (case_id TEXT NOT NULL, at INTEGER NOT NULL);
CREATE INDEX calls_by_case ON calls (case_id);
