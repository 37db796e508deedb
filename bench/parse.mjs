/** A ready-made backend that serves collections over REST: Parse Server. Each read carries a session token. */
// @ts-nocheck The packages exist once `npm run bench` has installed them.
import express from 'express';
import { ParseServer } from 'parse-server';

const port = Number(process.env.PORT);
const server = new ParseServer({
  databaseURI: process.env.MONGODB_URI,
  appId: 'bench',
  masterKey: process.env.JWT_SECRET,
  serverURL: `http://127.0.0.1:${port}/parse`,
  logLevel: 'error',
  silent: true,
  logsFolder: null,
  allowClientClassCreation: true,
  databaseOptions: { createIndexUserUsernameCaseInsensitive: false, createIndexUserEmailCaseInsensitive: false },
});
await server.start();
const app = express();
app.use('/parse', server.app);
app.listen(port, '127.0.0.1', () => console.log('listening'));
