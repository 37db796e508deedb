export { HistoryPage, type HistoryRange } from './chat.dto.js';
export { ChatModule } from './chat.module.js';
export { ChatService, type Turn } from './chat.service.js';
export { type BegunTurn, interruptionError, TurnAnswer, TurnLimit } from './turn.answer.js';
export { TurnFailures } from './turn.failures.js';
export { AfterTurn, type AfterTurnResult, BeforeTurn, type BeforeTurnResult } from './turn.hooks.js';
export { TurnIntake, type TurnInput } from './turn.intake.js';
export { TurnMetrics } from './turn.metrics.js';
export { TurnService, type TurnEvent } from './turn.service.js';
