import '../../src/chat/history/history.json.spec.js';
