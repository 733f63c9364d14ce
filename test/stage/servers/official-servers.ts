import type { OfficialServer } from './official-server.ts'

/** The servers of the protocol's own project, as somebody would make modules of them. */
export const OFFICIAL_SERVERS = {
  everything: { package: '@modelcontextprotocol/server-everything', displayName: 'Everything' },
  filesystem: {
    package: '@modelcontextprotocol/server-filesystem',
    displayName: 'Filesystem',
    args: ['${user_config.folders}'],
    user_config: {
      folders: {
        type: 'directory',
        title: 'Folders',
        description: 'Folders that it may read and write',
        multiple: true,
        required: true,
      },
    },
  },
  memory: {
    package: '@modelcontextprotocol/server-memory',
    displayName: 'Memory',
    env: { MEMORY_FILE_PATH: '${HOME}/memory.jsonl' },
  },
  'sequential-thinking': {
    package: '@modelcontextprotocol/server-sequential-thinking',
    displayName: 'Sequential Thinking',
  },
} satisfies Record<string, OfficialServer>
