import '../../src/auth/owner.spec.js';
import '../../src/auth/token.format.spec.js';
import '../../src/auth/token.keys.spec.js';
import '../../src/auth/verified-tokens.spec.js';
import '../e2e/jwt.e2e-spec.js';
import '../e2e/tokens.e2e-spec.js';
import '../e2e/database-lost.e2e-spec.js';
