import type { z } from 'zod'
import { Fault } from '../../fault.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'

/** @throws Fault `request.invalid`, which names the first member that does not fit the contract */
export function validate(schema: AnyEndpoint['params'], value: unknown): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  // Parsed again with options only after a failure, because any option keeps zod off its compiled path, at twenty times
  // the cost.
  const { error = result.error } = schema.safeParse(value, { reportInput: true })
  throw new Fault('request.invalid', describeProblem(error))
}

/** A sentence that names the wrong member and says what is expected. */
function describeProblem(error: z.ZodError): string {
  const issue = error.issues[0]
  if (issue === undefined) return 'The call is not as the interface asks for it.'
  const member = issue.path.join('.') || 'The call'
  return `${member} ${expectationOf(issue)}.`
}

type Issue = z.core.$ZodIssue

function expectationOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${typeNames[issue.expected] ?? issue.expected}`
    case 'too_big':
      if (isNumber(issue)) return `must be ${issue.maximum} at most`
      return `must have ${issue.maximum} ${partsOf(issue)} at most`
    case 'too_small':
      if (isNumber(issue)) return `must be ${issue.minimum} at least`
      return issue.minimum === 1 ? 'must not be empty' : `must have at least ${issue.minimum} ${partsOf(issue)}`
    case 'invalid_value':
      return `must be one of ${issue.values.filter((value) => value !== '').join(', ')}`
    default:
      // The other messages are written by the contracts, to follow the name of the member.
      return issue.message
  }
}

const isNumber = ({ origin }: { readonly origin: string }): boolean => origin === 'number' || origin === 'int'

/** The unit in which the length of a value is counted. */
const partsOf = ({ origin }: { readonly origin: string }): string => (origin === 'array' ? 'entries' : 'characters')

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}
