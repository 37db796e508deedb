import { AvatarChatElement } from './avatar-chat-element.js';

if (!customElements.get('avatar-chat')) customElements.define('avatar-chat', AvatarChatElement);
