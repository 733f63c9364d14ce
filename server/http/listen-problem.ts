import { OperatorProblem } from '../kernel/operator-problem.ts'

/** Why listening on `host` and `port` failed; an unknown error is returned unchanged. */
export function listenProblem(host: string, port: number, error: unknown): unknown {
  const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new OperatorProblem(
        `Another program is listening on ${place}. Stop it, or set REEVE_PORT to a port that is free.`,
        { cause: error },
      )
    case 'EADDRNOTAVAIL':
      return new OperatorProblem(
        `This machine does not have the address ${host}. Set REEVE_HOST to one of its own, or to 0.0.0.0 for all of them.`,
        { cause: error },
      )
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new OperatorProblem(
        `REEVE_HOST is ${host}, which is not an address of this machine and cannot be resolved.`,
        {
          cause: error,
        },
      )
    case 'EACCES':
      return new OperatorProblem(
        `This account may not listen on ${place}: ports below 1024 belong to the system. Set REEVE_PORT to a higher one, and let a proxy take port ${port}.`,
        { cause: error },
      )
    default:
      return error
  }
}
