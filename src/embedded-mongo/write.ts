import { Doc, MAX_BATCH, ObjectId, decode, element, encode, isDocument, joinElements, toNumber } from './bson.js';
import type { Collection } from './catalogue.js';
import { Command, Engine, documentAt, namespaceOf, queryOf } from './engine.js';
import { CommandError } from './errors.js';
import { projector } from './project.js';
import type { RecordId } from './records.js';
import { constants } from './expressions.js';
import { Update, seed, updater, withId } from './update.js';
import { Found, Walk } from './walk.js';

/** Runs the statements of a write command; an error ends an ordered batch and becomes a write error. */
function batch(body: Doc, list: string, run: (statement: any, index: number) => void): Doc {
  const statements = body[list];
  if (!Array.isArray(statements))
    throw new CommandError(
      'MissingParameter',
      `BSON field '${Object.keys(body)[0]}.${list}' is missing but a required field`,
    );
  if (!statements.length || statements.length > MAX_BATCH) {
    throw new CommandError(
      'InvalidLength',
      `Write batch sizes must be between 1 and ${MAX_BATCH}. Got ${statements.length} operations.`,
    );
  }
  const writeErrors: Doc[] = [];
  for (const [index, statement] of statements.entries()) {
    try {
      run(statement, index);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      writeErrors.push({ index, code: error.code, errmsg: error.message, ...error.extra });
      if (body.ordered !== false) break;
    }
  }
  return writeErrors.length ? { writeErrors } : {};
}

const REQUIRED = { updates: ['q', 'u'], deletes: ['q', 'limit'] };
const FIELDS = {
  updates: [...REQUIRED.updates, 'c', 'upsert', 'multi', 'collation', 'arrayFilters', 'hint'],
  deletes: [...REQUIRED.deletes, 'collation', 'hint'],
};

/**
 * Before anything is written: without its filter a statement would be about every document.
 * @throws CommandError 14 for a statement that is no document, 40414 or 40415 for one with a field too few or too many.
 */
function checkFields(body: Doc, list: 'updates' | 'deletes'): void {
  if (!Array.isArray(body[list])) return;
  const name = `${Object.keys(body)[0]}.${list}`;
  for (const statement of body[list]) {
    if (!isDocument(statement))
      throw new CommandError('TypeMismatch', `BSON field '${name}' holds something that is no object`);
    const other = Object.keys(statement).find((field) => !FIELDS[list].includes(field));
    if (other) throw new CommandError('UnknownField', `BSON field '${name}.${other}' is an unknown field.`);
    const missing = REQUIRED[list].find((field) => statement[field] === undefined);
    if (missing)
      throw new CommandError('MissingParameter', `BSON field '${name}.${missing}' is missing but a required field`);
  }
}

export const insert: Command = (engine, body) => {
  const namespace = namespaceOf(body);
  return engine.write(() => {
    const collection = engine.collection(namespace);
    let n = 0;
    const errors = batch(body, 'documents', (raw: Buffer) => {
      const [bytes, doc] = prepared(raw);
      engine.records.insert(collection, bytes, doc);
      n++;
    });
    return { n, ...errors };
  });
};

/** With an `_id`, and that as the first field: otherwise the very bytes that came. */
function prepared(raw: Buffer): [Buffer, Doc] {
  if (!Buffer.isBuffer(raw))
    throw new CommandError('TypeMismatch', "BSON field 'insert.documents' holds something that is no object");
  const doc = decode(raw);
  if (Object.keys(doc)[0] === '_id') return [raw, checked(doc)];
  if ('_id' in doc) return [encode(withId(doc)), checked(doc)];
  const _id = new ObjectId();
  return [joinElements([element(7, '_id', _id.id), raw.subarray(4, -1)]), checked({ _id, ...doc })];
}

const MAX_DEPTH = 180;

/** @throws CommandError when the document may not be stored. */
function checked(doc: Doc): Doc {
  if (Array.isArray(doc._id)) throw new CommandError('InvalidIdField', "The '_id' value cannot be of type array");
  if (doc._id?.constructor?.name === 'BSONRegExp')
    throw new CommandError('InvalidIdField', "The '_id' value cannot be of type regex");
  if (
    isDocument(doc._id) &&
    Object.keys(doc._id).some((key) => key.startsWith('$') && key !== '$ref' && key !== '$id' && key !== '$db')
  ) {
    throw new CommandError('DollarPrefixedFieldName', "_id fields may not contain '$'-prefixed fields");
  }
  const walk = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null) return;
    if (depth > MAX_DEPTH)
      throw new CommandError('Overflow', `Document exceeds maximum nested object depth: ${MAX_DEPTH}`);
    if (Array.isArray(value)) for (const item of value) walk(item, depth + 1);
    else if (isDocument(value)) for (const key of Object.keys(value)) walk(value[key], depth + 1);
  };
  walk(doc, 0);
  return doc;
}

/** What a write is about, found before anything of it is changed. */
function targets(engine: Engine, collection: Collection, body: Doc, filter: Doc, limit: number): Found[] {
  return new Walk(engine.store, engine.records, { ...queryOf(collection, body, filter), skip: 0, limit }).all();
}

/** Writes what an update makes of a document; nothing when it stays the same. */
function change(
  engine: Engine,
  collection: Collection,
  id: RecordId,
  before: Doc,
  update: Update,
): { after: Doc; changed: boolean } {
  const after = checked(withId(update.apply(before)));
  const bytes = encode(after);
  const changed = !bytes.equals(encode(before));
  if (changed) engine.records.replace(collection, id, before, bytes, decode(bytes));
  return { after, changed };
}

function upsert(engine: Engine, collection: Collection, filter: Doc, update: Update): Doc {
  const start = seed(filter);
  const made = update.apply(
    update.replacement && start._id !== undefined ? { _id: start._id } : update.replacement ? {} : start,
    true,
  );
  const doc = checked(withId(made));
  const bytes = encode(doc);
  engine.records.insert(collection, bytes, decode(bytes));
  return doc;
}

export const update: Command = (engine, body) => {
  const namespace = namespaceOf(body);
  checkFields(body, 'updates');
  return engine.write(() => {
    let n = 0;
    let nModified = 0;
    const upserted: Doc[] = [];
    const errors = batch(body, 'updates', (statement: Doc, index) => {
      const filter = documentAt(statement, 'q');
      const variables = constants({ ...body.let, ...statement.c });
      const compiled = updater(statement.u, filter, statement.arrayFilters, variables);
      if (statement.multi && compiled.replacement)
        throw new CommandError('FailedToParse', 'multi update is not supported for replacement-style update');
      const existing = engine.catalogue.get(namespace);
      const found = existing
        ? targets(
            engine,
            existing,
            { update: 1, hint: statement.hint, let: body.let, maxTimeMS: body.maxTimeMS },
            filter,
            statement.multi ? 0 : 1,
          )
        : [];
      let modified = 0;
      for (const { id, bytes, doc } of found) {
        if (change(engine, existing!, id, doc ?? decode(bytes), compiled).changed) modified++;
      }
      // Counted only when the whole statement went through, as MongoDB does.
      n += found.length;
      nModified += modified;
      if (found.length || !statement.upsert) return;
      upserted.push({ index, _id: upsert(engine, engine.collection(namespace), filter, compiled)._id });
      n++;
    });
    return { n, nModified, ...(upserted.length && { upserted }), ...errors };
  });
};

export const remove: Command = (engine, body) => {
  const namespace = namespaceOf(body);
  checkFields(body, 'deletes');
  const run = (): Doc => {
    let n = 0;
    const errors = batch(body, 'deletes', (statement: Doc) => {
      const filter = documentAt(statement, 'q');
      const limit = toNumber(statement.limit);
      if (limit !== 0 && limit !== 1)
        throw new CommandError('FailedToParse', `The limit field in delete objects must be 0 or 1. Got ${limit}`);
      const collection = engine.catalogue.get(namespace);
      if (!collection) return;
      for (const { id, bytes, doc } of targets(
        engine,
        collection,
        { delete: 1, hint: statement.hint, let: body.let, maxTimeMS: body.maxTimeMS },
        filter,
        limit,
      )) {
        engine.records.remove(collection, id, doc ?? decode(bytes));
        n++;
      }
    });
    return { n, ...errors };
  };
  return engine.write(run, { removes: true });
};

export const findAndModify: Command = (engine, body) => {
  const namespace = namespaceOf(body);
  const filter = documentAt(body, 'query');
  if (!body.remove === (body.update === undefined))
    throw new CommandError('FailedToParse', 'Either an update or remove=true must be specified');
  if (body.remove && body.new) {
    const message = "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document";
    throw new CommandError('FailedToParse', message);
  }
  if (body.remove && body.upsert)
    throw new CommandError('FailedToParse', 'Cannot specify both upsert=true and remove=true');
  const variables = constants(documentAt(body, 'let'));
  const compiled = body.remove ? undefined : updater(body.update, filter, body.arrayFilters, variables);
  const fields = projector(documentAt(body, 'fields'), { filter, names: Object.keys(variables) });
  const project = (doc: Doc): Doc => (fields ? fields(doc, variables) : doc);
  const run = (): Doc => {
    const existing = engine.catalogue.get(namespace);
    const [found] = existing ? targets(engine, existing, { ...body, limit: undefined }, filter, 1) : [];
    if (!found) {
      if (!body.upsert || !compiled)
        return { lastErrorObject: { n: 0, ...(compiled && { updatedExisting: false }) }, value: null };
      const made = upsert(engine, engine.collection(namespace), filter, compiled);
      return {
        lastErrorObject: { n: 1, updatedExisting: false, upserted: made._id },
        value: body.new ? project(made) : null,
      };
    }
    const before = found.doc ?? decode(found.bytes);
    if (!compiled) {
      engine.records.remove(existing!, found.id, before);
      return { lastErrorObject: { n: 1 }, value: project(before) };
    }
    const { after } = change(engine, existing!, found.id, before, compiled);
    return { lastErrorObject: { n: 1, updatedExisting: true }, value: project(body.new ? after : before) };
  };
  return engine.write(run, { removes: compiled === undefined });
};
