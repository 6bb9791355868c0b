import 'reflect-metadata'
import {
  Body,
  Controller,
  Get,
  HttpException,
  Injectable,
  Module,
  Param,
  Post,
  Req,
  Res,
  ValidationPipe,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { IsIn, IsInt, IsString, Length, Matches } from 'class-validator'
import { addressForm, bodyOf, chainIds, enter, etagOf, get, put, requestId } from './peer.mjs'

/** Applies decorators as function calls, because plain JavaScript has no decorators. */
const platform = process.argv[2]
const isFastify = platform === 'fastify'

class CreateIntent {}
const field = (name, ...rules) => {
  for (const rule of rules) rule(CreateIntent.prototype, name)
}
field('userId', IsString(), Length(1, 256))
field('targetChainId', IsInt(), IsIn(chainIds))
field('targetTokenAddress', IsString(), Matches(new RegExp(addressForm)))
field('targetAddress', IsString(), Matches(new RegExp(addressForm)))

class KeyGuard {
  canActivate(context) {
    const http = context.switchToHttp()
    const [request, reply] = [http.getRequest(), http.getResponse()]
    reply.header('x-request-id', request.headers['x-request-id'] ?? requestId())
    const entered = enter(request.headers['x-api-key'])
    if (!entered.headers) throw new HttpException(entered, entered.statusCode)
    for (const [name, value] of Object.entries(entered.headers)) reply.header(name, value)
    return true
  }
}
Injectable()(KeyGuard)

class Intents {
  async put(body, reply) {
    const { status, view } = await put(body)
    reply.status(status)
    return view
  }

  async get(userId, request, reply) {
    const view = await get(userId)
    if (!view) throw new HttpException(bodyOf(404, 'No deposit intent for this user', 'Not Found'), 404)
    const etag = etagOf(JSON.stringify(view))
    reply.header('etag', etag)
    if (request.headers['if-none-match'] === etag) reply.status(304)
    return view
  }
}
const method = (name, route, parameters, types) => {
  route(Intents.prototype, name, Object.getOwnPropertyDescriptor(Intents.prototype, name))
  for (const [n, parameter] of parameters.entries()) parameter(Intents.prototype, name, n)
  Reflect.defineMetadata('design:paramtypes', types, Intents.prototype, name)
}
method('put', Post('deposit-intents'), [Body(), Res({ passthrough: true })], [CreateIntent, Object])
method(
  'get',
  Get('users/:userId/deposit-intent'),
  [Param('userId'), Req(), Res({ passthrough: true })],
  [String, Object, Object],
)
Controller('api')(Intents)

class App {}
Module({ controllers: [Intents] })(App)

const app = await NestFactory.create(App, isFastify ? new FastifyAdapter() : new ExpressAdapter(), { logger: false })
app.useGlobalGuards(new KeyGuard())
app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }))
await app.listen(0, '127.0.0.1')
console.log(app.getHttpServer().address().port)
