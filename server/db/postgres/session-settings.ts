/** How `pg` is told where to connect. */
export interface Connecting {
  readonly connectionString: string
  readonly options?: string
}

/**
 * Connects with settings of the session; without them where a pooler such as pgbouncer refuses them: it gives each
 * transaction another session. Settings in the URL come last, so they win.
 */
export async function withSession<T>(
  url: string,
  settings: string,
  connect: (to: Connecting) => Promise<T>,
): Promise<T> {
  try {
    return await connect(connecting(url, settings))
  } catch (error) {
    if (!refusesSettings(error)) throw error
    return connect({ connectionString: url })
  }
}

function connecting(url: string, settings: string): Connecting {
  const parsed = URL.parse(url)
  const own = parsed?.searchParams.get('options') ?? null
  if (parsed === null || own === null) return { connectionString: url, options: settings }
  // What stands in the URL would replace what is given beside it.
  parsed.searchParams.delete('options')
  return { connectionString: parsed.href, options: `${settings} ${own}` }
}

/** 08P01: an “unsupported startup parameter” of a pooler; 42704: a setting that an older PostgreSQL doesn't have. */
function refusesSettings(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return code === '42704' || (code === '08P01' && /startup parameter/i.test(String(message)))
}
