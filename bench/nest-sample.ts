/** Nest in the style of its own samples: Express adapter, hydrated documents, a string secret, the stock validation pipe. */
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import {
  Body,
  Controller,
  Get,
  HttpCode,
  Injectable,
  Module,
  Post,
  Query,
  Req,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { JwtModule, JwtService } from '@nestjs/jwt';
import { InjectModel, MongooseModule } from '@nestjs/mongoose';
import { AuthGuard, PassportModule, PassportStrategy } from '@nestjs/passport';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, Matches, Min } from 'class-validator';
import type { Model } from 'mongoose';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { CONFIGURATION } from './configuration.mjs';
import { avatarSchema, languageSchema, messageSchema, sessionSchema } from './models.mjs';

const SECRET = process.env.JWT_SECRET!;
interface User {
  user_id: string;
  project_id: string;
}

class TokenRequest {
  @Matches(/^[A-Za-z0-9_-]{1,128}$/)
  user_id!: string;
  @IsOptional()
  @Matches(/^[A-Za-z0-9-]{1,64}$/)
  project_id: string = 'default';
}

class HistoryQuery {
  @Matches(/^[A-Za-z0-9_-]{1,128}$/)
  user_id!: string;
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  per_page: number = 100;
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  page: number = 1;
}

@Injectable()
class JwtStrategy extends PassportStrategy(Strategy) {
  constructor() {
    super({ jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(), secretOrKey: SECRET });
  }
  validate({ user_id, project_id }: User): User {
    return { user_id, project_id };
  }
}

@Controller()
class AuthController {
  constructor(private readonly jwt: JwtService) {}
  @Post('jwt')
  @HttpCode(200)
  issue(@Body() { user_id, project_id }: TokenRequest) {
    return { result: 'success', jwt: this.jwt.sign({ user_id, project_id }) };
  }
}

@Injectable()
class ConnectionService {
  constructor(
    @InjectModel('Session') private readonly sessions: Model<any>,
    @InjectModel('Avatar') private readonly avatars: Model<any>,
    @InjectModel('Language') private readonly languages: Model<any>,
  ) {}
  async open({ user_id, project_id }: User) {
    const expires_at = new Date(Date.now() + 86_400_000);
    const { _id: session } = await this.sessions.create({ _id: randomUUID(), project_id, user_id, expires_at });
    const [avatars_info, languages] = await Promise.all([this.avatars.find(), this.languages.find()]);
    const { avatars_info: _a, languages: _l, ...settings } = CONFIGURATION;
    return { status: 200, session, avatars_info, languages, ...settings };
  }
}

@Controller('connection')
@UseGuards(AuthGuard('jwt'))
class ConnectionController {
  constructor(private readonly connection: ConnectionService) {}
  @Get()
  open(@Req() { user }: { user: User }) {
    return this.connection.open(user);
  }
}

@Injectable()
class ChatService {
  constructor(@InjectModel('Message') private readonly messages: Model<any>) {}
  async page({ project_id }: User, { user_id, per_page, page }: HistoryQuery) {
    const skip = (page - 1) * per_page;
    const [payload, total] = await Promise.all([
      this.messages.find({ project_id, user_id }).sort({ date: -1, _id: -1 }).skip(skip).limit(per_page).exec(),
      this.messages.countDocuments({ project_id, user_id }),
    ]);
    return { payload, has_more_messages: total > skip + payload.length };
  }
}

@Controller('chat')
@UseGuards(AuthGuard('jwt'))
class ChatController {
  constructor(private readonly chat: ChatService) {}
  @Get()
  page(@Req() { user }: { user: User }, @Query() query: HistoryQuery) {
    return this.chat.page(user, query);
  }
}

@Module({
  imports: [
    PassportModule,
    JwtModule.register({ secret: SECRET, signOptions: { expiresIn: '24h' } }),
    MongooseModule.forRoot(process.env.MONGODB_URI!),
    MongooseModule.forFeature([
      { name: 'Message', schema: messageSchema },
      { name: 'Session', schema: sessionSchema },
      { name: 'Avatar', schema: avatarSchema },
      { name: 'Language', schema: languageSchema },
    ]),
  ],
  controllers: [AuthController, ConnectionController, ChatController],
  providers: [JwtStrategy, ConnectionService, ChatService],
})
class SampleModule {}

const app = await NestFactory.create(SampleModule, { logger: false });
app.useGlobalPipes(new ValidationPipe({ transform: true }));
await app.listen(Number(process.env.PORT), '127.0.0.1');
console.log('listening');
