export class HealthStatus {
  /** Always `ok`; otherwise the response is an error. */
  status!: 'ok';
}
