import { markMethod } from '../kinds/index.js';

export const HEALTH_CHECK = Symbol('health check');

/**
 * Has a method of a provider asked whenever `GET /health/ready` is. The service is not ready while it throws, returns
 * false, or takes longer than a second; the log then has its name.
 *
 * @example
 * @HealthCheck('crm')
 * async reach(): Promise<void> { await this.crm.ping(); }
 */
export const HealthCheck = (name: string) => markMethod(HEALTH_CHECK, name);
