export class HealthStatus {
  /** Always `ok`; what is not well has the error body. */
  status!: 'ok';
}
