import type { z } from 'zod'

/** One sentence that says which member of a call is wrong, and what is expected of it. */
export function describeProblem(error: z.ZodError): string {
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
      return `must have ${issue.maximum} characters at most`
    case 'too_small':
      if (isNumber(issue)) return `must be ${issue.minimum} at least`
      return issue.minimum === 1 ? 'must not be empty' : `must have at least ${issue.minimum} characters`
    case 'invalid_value':
      return `must be one of ${issue.values.filter((value) => value !== '').join(', ')}`
    default:
      // The contracts word the rest themselves, to be read after the member's name.
      return issue.message
  }
}

const isNumber = ({ origin }: { readonly origin: string }): boolean => origin === 'number' || origin === 'int'

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}
