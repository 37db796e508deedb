export { HistoryPage, Message } from './chat.dto.js';
export { ChatModule } from './chat.module.js';
export { ChatService, type HistoryRange, type Turn } from './chat.service.js';
