import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import { Config } from '../platform/config/index.js';
import { CatalogueModule } from '../catalogue/index.js';
import { IdentityModule } from '../identity/index.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { ClientSecrets } from './client.secrets.js';
import { JwtGuard } from './jwt.guard.js';
import { MessageHandlers } from './message.handlers.js';
import { JwtStrategy } from './jwt.strategy.js';
import { TokenKeys } from './token.keys.js';
import { TokenVerification } from './token.verification.js';

/** Issues tokens. The application registers its guard, which protects every route. */
@Module({
  imports: [
    CatalogueModule,
    DiscoveryModule,
    IdentityModule,
    PassportModule,
    JwtModule.registerAsync({
      inject: [Config],
      useFactory: (config: Config) => {
        const { key, kid } = new TokenKeys(config).signing;
        return { secret: key, signOptions: { algorithm: 'HS256', keyid: kid } };
      },
    }),
  ],
  controllers: [AuthController],
  providers: [AuthService, ClientSecrets, JwtStrategy, TokenKeys, TokenVerification, JwtGuard, MessageHandlers],
  exports: [AuthService, ClientSecrets, JwtGuard],
})
export class AuthModule {}
