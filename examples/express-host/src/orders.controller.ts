import { Body, Controller, Get, Post, UseGuards } from '@nestjs/common';
import { ChatService, CurrentUser, JwtGuard, type Owner } from 'avatar-chat-service';
import { IsInt } from 'class-validator';

export class Order {
  @IsInt()
  pieces!: number;
}

/** The host's own routes: two public ones, and one for users of the chat. */
@Controller('orders')
export class OrdersController {
  constructor(private readonly chat: ChatService) {}

  @Get()
  list(): Order[] {
    return [{ pieces: 3 }];
  }

  @Post()
  add(@Body() order: Order): Order {
    return order;
  }

  @UseGuards(JwtGuard)
  @Get('mine')
  async mine(@CurrentUser() owner: Owner): Promise<{ user_id: string; messages: number }> {
    const { payload } = await this.chat.page(owner, { limit: 10 });
    return { user_id: owner.user_id, messages: payload.length };
  }
}
