import '../../src/chat/history.json.spec.js';
