/** Why a call was refused, in the form every host answers with. */
export interface FaultBody {
  code: string;
  message: string;
  args?: Record<string, unknown> | null;
  hint?: string | null;
}

/** A refused call. `code` is stable; `message` is English and written in another language by `faultText`. */
export class Fault extends Error {
  readonly code: string;
  readonly args: Record<string, unknown>;
  readonly hint: string | null;

  constructor(body: FaultBody) {
    super(body.message);
    this.name = "Fault";
    this.code = body.code;
    this.args = body.args ?? {};
    this.hint = body.hint ?? null;
  }
}

function isFaultBody(value: unknown): value is FaultBody {
  return typeof value === "object" && value !== null && "code" in value && "message" in value;
}

/** Anything thrown or rejected, as a Fault. */
export function asFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown;
  if (isFaultBody(thrown)) return new Fault(thrown);
  return new Fault({ code: "ui_unexpected", message: thrown instanceof Error ? thrown.message : String(thrown) });
}
