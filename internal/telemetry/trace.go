package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"kaijutsu"
)

const (
	// queuedSpans is how many wait to be sent; more are dropped.
	queuedSpans = 4096
	// exportWithin bounds one sending of spans.
	exportWithin = 10 * time.Second
	// complainEvery is how often trouble with the collector is logged at most.
	complainEvery = time.Minute
)

// TraceConfig says where spans go.
type TraceConfig struct {
	// URL is of a collector that takes OTLP over HTTP, as
	// http://localhost:4318; without a path it is /v1/traces. Required. What
	// the collector wants besides, as headers, is in the environment, by
	// OpenTelemetry's own names (OTEL_EXPORTER_OTLP_HEADERS).
	URL string
	// Sample is the share of traces that are kept, above 0 and up to 1;
	// default 1. What a caller has decided about its own trace goes first.
	Sample float64
	// Version, Kernel and Node describe the server.
	Version, Kernel, Node string
	// Log hears when spans cannot be sent, once a minute; required.
	Log *slog.Logger
}

// Traces sends spans to a collector. Its methods are safe for concurrent use
// and wait for nobody.
type Traces struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// OpenTraces starts sending; it asks the collector nothing. The error wraps
// kaijutsu.ErrInvalid.
func OpenTraces(cfg TraceConfig) (*Traces, error) {
	at, err := url.Parse(cfg.URL)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		return nil, fmt.Errorf("address for traces %.128q: %w: want a URL such as http://localhost:4318", cfg.URL, kaijutsu.ErrInvalid)
	}
	if cfg.Sample < 0 || cfg.Sample > 1 {
		return nil, fmt.Errorf("share of traces %v: %w: want more than 0 and at most 1", cfg.Sample, kaijutsu.ErrInvalid)
	}
	if cfg.Sample == 0 {
		cfg.Sample = 1
	}
	if at.Path == "" || at.Path == "/" {
		at.Path = "/v1/traces"
	}
	exporter, err := otlptracehttp.New(context.Background(), otlptracehttp.WithEndpointURL(at.String()), otlptracehttp.WithTimeout(exportWithin))
	if err != nil {
		return nil, fmt.Errorf("address for traces: %w: %w", kaijutsu.ErrInvalid, err)
	}
	otel.SetErrorHandler(complainer(cfg.Log))
	about := resource.NewSchemaless(
		attribute.String("service.name", "kaijutsu"), attribute.String("service.version", cfg.Version),
		attribute.String("service.namespace", cfg.Kernel), attribute.String("service.instance.id", cfg.Node),
	)
	provider := sdk.NewTracerProvider(
		sdk.WithBatcher(exporter, sdk.WithMaxQueueSize(queuedSpans), sdk.WithExportTimeout(exportWithin)),
		sdk.WithResource(about),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(cfg.Sample))),
	)
	return &Traces{provider, provider.Tracer("kaijutsu")}, nil
}

// complainer logs the library's errors, of which there is one for each batch
// that did not arrive.
func complainer(log *slog.Logger) otel.ErrorHandler {
	var last atomic.Int64
	began := time.Now()
	return otel.ErrorHandlerFunc(func(err error) {
		now, was := int64(time.Since(began))+int64(complainEvery), last.Load()
		if now-was >= int64(complainEvery) && last.CompareAndSwap(was, now) {
			log.Warn("traces not sent", "err", err)
		}
	})
}

// Close sends what is left, until ctx ends.
func (t *Traces) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("send the last traces: %w", err)
	}
	return nil
}

// Span is something under way. A nil one is nothing.
type Span struct{ span trace.Span }

// Begin begins a span below the one of ctx, if it has one; the context
// returned is for what belongs to it.
func (t *Traces) Begin(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	ctx, span := t.tracer.Start(ctx, name, trace.WithAttributes(attributes(attrs)...))
	return ctx, &Span{span}
}

// End ends the span. problem is the kind of what went wrong, "" for nothing.
func (s *Span) End(problem string, attrs ...slog.Attr) {
	if s != nil {
		finish(s.span, problem, attrs)
	}
}

// Past tells of something that is over, as a trace of its own.
func (t *Traces) Past(name string, from time.Time, took time.Duration, problem string, attrs ...slog.Attr) {
	if t == nil {
		return
	}
	_, span := t.tracer.Start(context.Background(), name, trace.WithTimestamp(from))
	finish(span, problem, attrs, trace.WithTimestamp(from.Add(took)))
}

func finish(span trace.Span, problem string, attrs []slog.Attr, options ...trace.SpanEndOption) {
	span.SetAttributes(attributes(attrs)...)
	if problem != "" {
		span.SetStatus(codes.Error, problem)
		span.SetAttributes(attribute.String("error.type", problem))
	}
	span.End(options...)
}

// Caller returns the context of a request with the span of whoever sent it, as
// the header traceparent names it.
func (t *Traces) Caller(r *http.Request) context.Context {
	if t == nil {
		return r.Context()
	}
	return propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
}

func attributes(attrs []slog.Attr) []attribute.KeyValue {
	out := make([]attribute.KeyValue, 0, len(attrs))
	for _, a := range attrs {
		switch v := a.Value; v.Kind() {
		case slog.KindInt64:
			out = append(out, attribute.Int64(a.Key, v.Int64()))
		case slog.KindUint64:
			out = append(out, attribute.Int64(a.Key, int64(v.Uint64())))
		case slog.KindFloat64:
			out = append(out, attribute.Float64(a.Key, v.Float64()))
		case slog.KindBool:
			out = append(out, attribute.Bool(a.Key, v.Bool()))
		default:
			out = append(out, attribute.String(a.Key, v.String()))
		}
	}
	return out
}
