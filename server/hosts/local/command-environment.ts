const PASSED_ON =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|XDG_RUNTIME_DIR|DBUS_SYSTEM_BUS_ADDRESS)$/

/**
 * The environment of every program started here. It is an allow-list, because the service's own environment contains
 * its secrets and those of whatever started it.
 */
export function commandEnvironment(): NodeJS.ProcessEnv {
  const passed = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name))
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ...Object.fromEntries(passed),
    TERM: 'dumb',
    PAGER: 'cat',
  }
}
