import { AvatarChatElement } from './element.js';

if (!customElements.get('avatar-chat')) customElements.define('avatar-chat', AvatarChatElement);
