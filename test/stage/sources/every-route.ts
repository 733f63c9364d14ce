import { contract } from '../../../contract/index.ts'
import type { Route } from '../../../contract/route.ts'

/** A route with the name under which the contract has it: `chat.send`. */
export interface NamedRoute {
  readonly name: string
  readonly route: Route
}

/** Every route that the contract declares. A test that goes over this list covers a new route as soon as it is declared. */
export const everyRoute: readonly NamedRoute[] = Object.entries(contract).flatMap(([group, routes]) =>
  Object.entries(routes as Record<string, Route>).map(([name, route]) => ({ name: `${group}.${name}`, route })),
)

/** Names of the placeholders in a path: `['conversation_id']`. */
export function placeholders({ path }: Route): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
}
