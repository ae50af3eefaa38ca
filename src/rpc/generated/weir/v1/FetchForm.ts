// Original file: proto/data.proto

export const FetchForm = {
  RECORDS: 0,
  BATCHES: 1,
} as const;

export type FetchForm =
  | 'RECORDS'
  | 0
  | 'BATCHES'
  | 1

export type FetchForm__Output = typeof FetchForm[keyof typeof FetchForm]
