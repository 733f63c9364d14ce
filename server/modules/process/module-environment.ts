import { delimiter, dirname } from 'node:path'
import type { Launch } from '../spec/launch.ts'

/**
 * The whole environment of a module: what its bundle sets, plus PATH, HOME, TMPDIR, LANG and TERM; nothing from the
 * service's own. `path` lists folders of programs; `temporary` is the folder for temporary files as the module sees it.
 */
export function moduleEnvironment(launch: Launch, path: readonly string[], temporary: string): Record<string, string> {
  return {
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ...launch.env,
    PATH: path.join(delimiter),
    HOME: launch.dataFolder,
    TMPDIR: temporary,
  }
}

/** Variables through which programs find the proxy; Node reads them when told to. */
export function proxyEnvironment(port: number): Record<string, string> {
  const proxy = `http://127.0.0.1:${port}`
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    NO_PROXY: '',
    no_proxy: '',
    NODE_USE_ENV_PROXY: '1',
  }
}

/** Program folders for a module: those of the system, and those of the programs it needs. */
export function programFolders(programs: readonly string[]): string[] {
  const system = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']
  return [...new Set([...programs.map((program) => dirname(program)), ...system])]
}
