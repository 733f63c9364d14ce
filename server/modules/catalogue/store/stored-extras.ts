import { LaunchExtras } from '../../../../contract/modules.ts'

export const NO_EXTRAS: LaunchExtras = { args: [], env: [] }

/** Begins the keys under which values of variables are sealed; no setting has a key like that (`bundle/manifest`). */
const VARIABLE = 'env:'

export function variableKey(name: string): string {
  return VARIABLE + name
}

export function isVariable(key: string): boolean {
  return key.startsWith(VARIABLE)
}

export function hasExtras({ args, env }: LaunchExtras): boolean {
  return args.length + env.length > 0
}

export function readExtras(text: string | null): LaunchExtras {
  return text === null ? NO_EXTRAS : LaunchExtras.parse(JSON.parse(text))
}

export function storedExtras(extras: LaunchExtras): string | null {
  return hasExtras(extras) ? JSON.stringify(extras) : null
}
