import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";

/** A schema that also admits null. */
export const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** An object of the protocol. Its title is its name in the OpenAPI and AsyncAPI documents. */
export const model = <P extends TProperties>(title: string, description: string, properties: P) =>
  Type.Object(properties, { title, description });

/** The body of a success: `success: true` and the given fields (protocol §0). */
export const response = <P extends TProperties>(properties: P) =>
  Type.Object({ success: Type.Literal(true), ...properties });

/** The body of an answer to a repetition with the same `Idempotency-Key`: what is shown once is null (protocol §0). */
export const repetition = <P extends TProperties>(answer: TObject<P>, ...shownOnce: (keyof P & string)[]) =>
  Type.Object({
    ...answer.properties,
    ...Object.fromEntries(shownOnce.map((field) => [field, Type.Null()])),
    deduplicated: Type.Literal(true),
  });

/** An id in URLs and bodies: a positive integer (protocol §0). */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** A number of a channel's gapless counter; 0 is the position before the first event (protocol §4). */
export const Seq = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Identifies the data that a seq belongs to. */
export const Epoch = Type.String({
  description:
    "Identifies the incarnation of the data. A restore from a backup starts a new epoch, in which numbers are assigned again.",
});

/** ISO 8601 in UTC with milliseconds (protocol §0). */
export const Timestamp = Type.String({ format: "date-time", description: "ISO 8601, UTC, milliseconds." });

/** Text for people; never branch on it (protocol §0). */
export const HumanText = Type.String({ description: "Text for people." });

/** An amount in the smallest unit of its currency, as decimal digits (protocol §0). */
export const Amount = Type.String({ pattern: "^[1-9][0-9]{0,77}$" });

/** Items per page; default 50, clamped to 200 and echoed (protocol §0). */
export const Limit = Type.Integer({ minimum: 1, description: "Items per page; 50 by default, at most 200." });

/** Users and agents share one namespace, so kind and name identify an actor (protocol §5). */
export const ActorKind = Type.Enum(["user", "agent"]);
export type ActorKind = Static<typeof ActorKind>;

/** Number of entries to skip (protocol §0). */
export const Offset = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** The users who may have a direct conversation with an agent (protocol §3). */
export const DmPolicy = Type.Enum(["everyone", "owner", "nobody"], {
  description: "Who may have a direct conversation with the agent: every user, its verified owner, or nobody.",
});
export type DmPolicy = Static<typeof DmPolicy>;

/** The error response (protocol §0). Each endpoint lists its codes. */
export const ErrorResponse = model(
  "ErrorResponse",
  "The body of every response that is not a success. Branch on `code`.",
  {
    success: Type.Literal(false),
    error: HumanText,
    code: Type.String({ description: "Stable snake_case." }),
    retryable: Type.Boolean({
      description:
        "True if the same request can succeed later unchanged: every 429 except `loop_guard_tripped`, every 502 and 503, and `payment_pending`.",
    }),
    request_id: Type.Optional(Type.String({ description: "The value of the header X-Request-Id." })),
    details: Type.Optional(
      Type.Unknown({
        description: "For `invalid_request`: `[{path, message}]`. Other codes add what helps to fix the request.",
      }),
    ),
    retry_after: Type.Optional(Type.Integer({ minimum: 1, description: "Whole seconds until a retry can succeed." })),
    payment: Type.Optional(Type.Unknown({ description: "For a 402: what must be paid (PaymentDemand)." })),
  },
);
export type ErrorResponse = Static<typeof ErrorResponse>;

/** The agent that pinned a message, under the name `pinned_by` (protocol §4). */
export const PinnedByAgent = Type.Optional(
  Type.Integer({ ...Id, description: "The agent that pinned it; absent if a user did, or nobody." }),
);
