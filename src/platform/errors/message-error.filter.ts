import { randomUUID } from 'node:crypto';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';
import { errorBody } from './error-body.js';
import { ServiceError } from './service-error.js';

interface Client {
  readonly readyState?: number;
  send?(text: string): void;
  emit?(event: string, data: object): void;
}

/**
 * Sends a {@link ServiceError} from a WebSocket gateway (as the event `exception`) or an RPC handler, with the common
 * error body.
 */
@Catch(ServiceError)
export class MessageErrorFilter implements ExceptionFilter {
  catch(error: ServiceError, host: ArgumentsHost): Observable<never> | void {
    const data = errorBody(error, randomUUID());
    if (host.getType() === 'rpc') return throwError(() => data);
    const client = host.switchToWs().getClient<Client>();
    // The `emit` of `ws` clients only reaches this process.
    if (typeof client.readyState === 'number') client.send?.(JSON.stringify({ event: 'exception', data }));
    else client.emit?.('exception', data);
  }
}
