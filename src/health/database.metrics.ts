import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/index.js';
import { Metrics } from '../platform/metrics/index.js';

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

/** Metrics of the database, as its driver reports them: commands, and the pool of connections. */
@Injectable()
export class DatabaseMetrics {
  constructor(metrics: Metrics, database: Database) {
    const seconds = metrics.histogram(
      'mongodb_command_duration_seconds',
      'Time of commands of the database, with those that fail.',
      SECONDS,
      ['command'],
    );
    const errors = metrics.counter(
      'mongodb_command_errors_total',
      'Failed commands, by the code of the server, or network.',
      ['command', 'code'],
    );
    const inUse = metrics.gauge('mongodb_pool_in_use', 'Connections that run a command.');
    const waiting = metrics.gauge('mongodb_pool_waiting', 'Commands that wait for a connection.');
    const size = metrics.gauge('mongodb_pool_connections', 'Open connections for commands.');
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
