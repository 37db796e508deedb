export { HistoryPage, type HistoryRange } from './chat.dto.js';
export { ChatModule } from './chat.module.js';
export { ChatService, type Turn } from './chat.service.js';
export { type TurnInput } from './turn.intake.js';
export { TurnService, type TurnEvent } from './turn.service.js';
