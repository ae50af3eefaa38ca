// Original file: proto/admin.proto

export const ConfigScope = {
  TOPIC: 0,
  BROKER: 1,
} as const;

export type ConfigScope =
  | 'TOPIC'
  | 0
  | 'BROKER'
  | 1

export type ConfigScope__Output = typeof ConfigScope[keyof typeof ConfigScope]
