import { Injectable } from '@nestjs/common';
import type { Histogram } from 'prom-client';
import { Database } from '../platform/database/index.js';
import { Metrics } from '../platform/metrics/index.js';

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

/** Metrics of the database: commands, and the pool of connections as its driver reports it. */
@Injectable()
export class DatabaseMetrics {
  constructor(metrics: Metrics, database: Database) {
    const seconds = metrics.histogram(
      'mongodb_command_duration_seconds',
      'Time of commands of the database, with those that fail, with the wait for a connection and repetitions.',
      SECONDS,
      ['command'],
    );
    const errors = metrics.counter(
      'mongodb_command_errors_total',
      'Failed commands, by the code of the server, or network.',
      ['command', 'code'],
    );
    /** Counted apart from the metrics, which are read rarely. */
    const pool = { inUse: 0, waiting: 0, size: 0 };
    const gauge = (name: string, help: string, part: keyof typeof pool) =>
      metrics.gauge(name, help, {
        collect() {
          this.set(pool[part]);
        },
      });
    gauge('mongodb_pool_in_use', 'Connections that run a command.', 'inUse');
    gauge('mongodb_pool_waiting', 'Commands that wait for a connection.', 'waiting');
    gauge('mongodb_pool_connections', 'Open connections for commands.', 'size');
    /** By command: looking a metric up by its labels takes longer than counting. */
    const series = new Map<string, Histogram.Internal<'command'>>();
    database.onCommand((command) => {
      const begun = performance.now();
      return (error) => {
        let one = series.get(command);
        if (!one) series.set(command, (one = seconds.labels({ command })));
        one.observe((performance.now() - begun) / 1000);
        if (error === undefined) return;
        const { code } = error as { code?: unknown };
        errors.inc({ command, code: typeof code === 'number' ? code : 'network' });
      };
    });
    database.onClient((client) => {
      client.on('connectionCreated', () => pool.size++);
      client.on('connectionClosed', () => pool.size--);
      client.on('connectionCheckOutStarted', () => pool.waiting++);
      client.on('connectionCheckOutFailed', () => pool.waiting--);
      client.on('connectionCheckedOut', () => {
        pool.waiting--;
        pool.inUse++;
      });
      client.on('connectionCheckedIn', () => pool.inUse--);
    });
  }
}
