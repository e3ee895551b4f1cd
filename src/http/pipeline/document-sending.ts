import type { Context } from 'koa'
import type { Answer } from '../contract/envelope.ts'
import { createAnswerBudget, unidentifiedAnswerLimits } from './answer-budget.ts'
import type { PipelineDependencies } from './pipeline.ts'
import { createRequestContext, send } from './request-context.ts'

/** Sends a document; false where the client's network has called too often, and nothing was sent. */
export type SendDocument = (context: Context, answer: () => Answer) => boolean

/** What counts of a document, such as a file of the console. */
const called = { operation: 'console.file', handler: 'Handler', access: { kind: 'public' } } as const

/**
 * Sends documents that are the same for all, and say nothing that is kept here: each counts for its client's network, and
 * leaves no record.
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
    } catch {
      return false
    }
    unidentifiedCallLimit.count(request.client.address)
    send(request, answer(), budget)
    count(request.operation, 'allowed', performance.now() - request.startedTick)
    return true
  }
}
