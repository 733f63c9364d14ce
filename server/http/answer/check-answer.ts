import { z } from 'zod'
import { COMMON_ERRORS, type ErrorCode } from '../../../contract/errors.ts'
import type { Route } from '../../../contract/route.ts'

/** An answer that violates the contract: a programming error, so it is reported loudly. */
class ContractBreach extends Error {
  constructor(route: Route, what: string) {
    super(`${route.method} ${route.path}: ${what}`)
    this.name = 'ContractBreach'
  }
}

/** @throws {ContractBreach} when the handler's answer is not what the route declares */
export function checkAnswer(route: Route, answer: unknown): void {
  const { response } = route
  if (response.kind === 'json') return check(route, response.schema, answer)
  if (response.kind === 'session') return check(route, response.schema, (answer as { body: unknown }).body)
  if (response.kind === 'accepted') {
    const { status, body } = answer as { status: 200 | 202; body: unknown }
    check(route, status === 202 ? response.accepted : response.schema, body)
  }
}

export function checkEvent(route: Route, data: unknown): void {
  if (route.response.kind === 'events') check(route, route.response.schema, data)
}

function check(route: Route, schema: z.ZodType, value: unknown): void {
  const checked = schema.safeParse(value)
  if (!checked.success)
    throw new ContractBreach(route, `the answer breaks the contract\n${z.prettifyError(checked.error)}`)
}

/** @throws {ContractBreach} when neither the route declares this error nor shared code can produce it */
export function checkError(route: Route, code: ErrorCode): void {
  if (route.errors.includes(code) || (COMMON_ERRORS as readonly ErrorCode[]).includes(code)) return
  if (code === 'approval_required' && route.permissions !== undefined) return
  if (code === 'sign_in_again' && route.freshSignIn) return
  if (code === 'not_ready' && route.response.kind === 'page') return
  throw new ContractBreach(route, `the error ${code} is not declared`)
}
