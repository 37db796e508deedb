import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { Database } from '../platform/database/index.js';
import { Metrics } from '../platform/metrics/index.js';

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

/** Metrics of the database, as its driver reports them: commands, and the pool of connections. */
@Injectable()
export class DatabaseMetrics {
  constructor({ registry }: Metrics, database: Database) {
    const registers = [registry];
    const seconds = new Histogram({
      name: 'mongodb_command_duration_seconds',
      help: 'Time of commands in the database, on the way there and back, whether or not they succeed.',
      labelNames: ['command'],
      buckets: SECONDS,
      registers,
    });
    const errors = new Counter({
      name: 'mongodb_command_errors_total',
      help: "Failed commands, by the server's code (50: it took too long), or network if there was no reply.",
      labelNames: ['command', 'code'],
      registers,
    });
    const inUse = new Gauge({ name: 'mongodb_pool_in_use', help: 'Connections that run a command.', registers });
    const waiting = new Gauge({
      name: 'mongodb_pool_waiting',
      help: 'Commands that wait for a connection, of at most 100 per process and server.',
      registers,
    });
    const size = new Gauge({ name: 'mongodb_pool_connections', help: 'Open connections for commands.', registers });
    database.onClient((client) => {
      client.on('commandSucceeded', ({ commandName: command, duration, reply }) => {
        seconds.observe({ command }, duration / 1000);
        // The command has run, but not on as many members as it should.
        const code = (reply as { writeConcernError?: { code?: number } } | undefined)?.writeConcernError?.code;
        if (code !== undefined) errors.inc({ command, code });
      });
      client.on('commandFailed', ({ commandName: command, duration, failure }) => {
        seconds.observe({ command }, duration / 1000);
        const { code } = failure as { code?: unknown };
        errors.inc({ command, code: typeof code === 'number' ? code : 'network' });
      });
      client.on('connectionCreated', () => size.inc());
      client.on('connectionClosed', () => size.dec());
      client.on('connectionCheckOutStarted', () => waiting.inc());
      client.on('connectionCheckOutFailed', () => waiting.dec());
      client.on('connectionCheckedOut', () => {
        waiting.dec();
        inUse.inc();
      });
      client.on('connectionCheckedIn', () => inUse.dec());
    });
  }
}
