package cli

import (
	"encoding"
	"encoding/json"
	"reflect"

	"poolgw/vty"
)

// writeJSON writes v indented. What has no element is [] or {}, never null:
// programs iterate over it.
func writeJSON(s *vty.Session, v any) error {
	text, err := json.MarshalIndent(filled(v), "", " ")
	if err != nil {
		return err
	}
	_, err = s.Write(append(text, '\n'))
	return err
}

// filled returns v with empty slices and maps instead of nil ones, at any depth.
// v itself stays as it is.
func filled(v any) any {
	if v == nil {
		return []any{}
	}
	return fill(reflect.ValueOf(v)).Interface()
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// fill is filled for a value; those that marshal themselves are left alone.
func fill(v reflect.Value) reflect.Value {
	t := v.Type()
	if t.Implements(jsonMarshaler) || t.Implements(textMarshaler) {
		return v
	}
	switch v.Kind() {
	case reflect.Slice:
		return fillSlice(v)
	case reflect.Map:
		return fillMap(v)
	case reflect.Struct:
		return fillStruct(v)
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return fillPointed(v)
		}
	}
	return v
}

func fillSlice(v reflect.Value) reflect.Value {
	out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	for i := range v.Len() {
		out.Index(i).Set(fill(v.Index(i)))
	}
	return out
}

func fillMap(v reflect.Value) reflect.Value {
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	for _, k := range v.MapKeys() {
		out.SetMapIndex(k, fill(v.MapIndex(k)))
	}
	return out
}

func fillStruct(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	for i := range v.NumField() {
		if f := out.Field(i); f.CanSet() && v.Type().Field(i).Tag.Get("json") != "-" {
			f.Set(fill(f))
		}
	}
	return out
}

func fillPointed(v reflect.Value) reflect.Value {
	inner := fill(v.Elem())
	if v.Kind() == reflect.Interface {
		return inner
	}
	out := reflect.New(v.Type().Elem())
	out.Elem().Set(inner)
	return out
}
