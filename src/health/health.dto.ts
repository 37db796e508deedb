/** Live conversations, of all processes on this port. */
export class LiveSlots {
  /** How many may begin at this moment. */
  free!: number;
  /** How many there may be at a time. */
  total!: number;
}

export class HealthStatus {
  /** Always `ok`; otherwise the response is an error. */
  status!: 'ok';
}
