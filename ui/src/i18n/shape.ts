/** The keys of one language in another. `_one` is left out: Chinese has one plural form. */
export type Same<T> = {
  readonly [K in keyof T as K extends `${string}_one` ? never : K]: T[K] extends string ? string : Same<T[K]>;
};
