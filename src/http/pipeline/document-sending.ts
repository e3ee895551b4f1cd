import type { Context } from 'koa'
import { type Fault, isFault } from '../../fault.ts'
import type { Answer } from '../contract/envelope.ts'
import { createAnswerBudget, unidentifiedAnswerLimits } from './answer-budget.ts'
import type { PipelineDependencies } from './pipeline.ts'
import { createRequestContext, send } from './request-context.ts'

/** Sends a document; where the client's network has called too often, sends nothing and returns the fault. */
export type SendDocument = (context: Context, answer: () => Answer) => Fault | undefined

/** Documents count as calls of this operation. */
const called = { operation: 'console.file', handler: 'Handler', access: { kind: 'public' } } as const

/**
 * Sends documents that are the same for all clients and contain no data of the appliance. Each counts against the rate
 * limit of the client's network, and has no audit record.
 */
export function createDocuments({
  clientIdentity,
  clock,
  count,
  unidentifiedCallLimit,
}: Pick<PipelineDependencies, 'clientIdentity' | 'clock' | 'count' | 'unidentifiedCallLimit'>): SendDocument {
  const budget = createAnswerBudget(unidentifiedAnswerLimits)
  return (context, answer) => {
    const request = createRequestContext(context, called, clientIdentity.of(context.req), clock.now())
    try {
      unidentifiedCallLimit.check(request.client.address)
    } catch (error) {
      if (isFault(error, 'request.too_many')) return error
      throw error
    }
    unidentifiedCallLimit.count(request.client.address)
    send(request, answer(), budget)
    count(request.operation, 'allowed', performance.now() - request.startedTick)
    return undefined
  }
}
